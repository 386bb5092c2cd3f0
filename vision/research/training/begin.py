"""Initial weights for a training run: from a network that was shipped as ONNX, or from its training weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn


def begin(network: nn.Module, file: Path, look: Callable[[], object]) -> None:
    """Load the weights of a file into a network, in place.

    In an ONNX file batch normalisation is folded into the convolutions. It is unfolded again with the statistics of
    the examples that `look` shows, so that the outputs stay equal.

    Args:
        network: A network of the same architecture.
        file: A shipped .onnx file, or the .pt file that `exporting.write` wrote beside it.
        look: Runs the network on some examples once.

    Raises:
        SystemExit: An ONNX file holds another architecture.
        RuntimeError: A .pt file holds another architecture.
    """
    if file.suffix != ".onnx":
        network.load_state_dict(torch.load(file, weights_only=True))
        return
    held = [torch.from_numpy(numpy_helper.to_array(one).copy()) for one in _in_order(onnx.load(file).graph)]
    layers = [one for one in network.modules() if isinstance(one, nn.Conv2d | nn.Linear | nn.BatchNorm2d)]
    if len(held) != 2 * sum(not isinstance(one, nn.BatchNorm2d) for one in layers):
        raise SystemExit(f"{file} is of a network of another make; begin without it")
    unfold: list[torch.utils.hooks.RemovableHandle] = []
    with torch.no_grad():
        for at, one in enumerate(layers):
            if isinstance(one, nn.BatchNorm2d):
                continue
            weight, bias, held = held[0], held[1], held[2:]
            if weight.shape != one.weight.shape:
                raise SystemExit(f"{file} is of a network of another make; begin without it")
            one.weight.copy_(weight)
            if one.bias is not None:
                one.bias.copy_(bias)
            else:
                unfold.append(layers[at + 1].register_forward_pre_hook(_unfolding(bias)))
        training = network.training
        network.eval()
        look()
        network.train(training)
    for hook in unfold:
        hook.remove()


def _in_order(graph: onnx.GraphProto) -> list[onnx.TensorProto]:
    """Return weight and bias of each layer, in the order in which the graph uses them."""
    by_name = {one.name: one for one in graph.initializer}
    return [by_name[name] for node in graph.node if node.op_type in ("Conv", "Gemm") for name in node.input[1:]]


def _unfolding(bias: Tensor) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
    def unfold(norm: nn.Module, given: tuple[Tensor, ...]) -> None:
        assert isinstance(norm, nn.BatchNorm2d)
        seen = given[0].float()
        mean, variance = seen.mean((0, 2, 3)), seen.var((0, 2, 3), unbiased=False)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.copy_((variance + norm.eps).sqrt())
        norm.bias.copy_(bias + mean)

    return unfold
