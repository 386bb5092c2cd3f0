"""Writes a network as ONNX, in a form that OpenCV computes fast.

OpenCV uses Winograd's algorithm (Lavin and Gray, Fast algorithms for convolutional neural networks, 2016) for plain 3 x
3 convolutions only. A convolution of dilation 2 (Yu and Koltun, Multi-scale context aggregation by dilated
convolutions, 2016) equals a plain one over four subsampled maps (space to batch). That form is much faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import nn

DILATION = 2
"""Dilation of the convolutions that are rewritten for export, as the network has it. Convolutions of another dilation
stay as they are, which is slower. The sides of the maps must be multiples of it."""


def write(
    network: nn.Module, shipped: nn.Module, shape: tuple[int, ...], free: dict[str, dict[int, str]], out: Path
) -> None:
    """Write a network as ONNX, and its training weights as a .pt file beside it.

    Convolutions of dilation DILATION are rewritten by `taken_apart`: such a network then takes one picture at a time.

    Args:
        network: The trained network, whose weights are saved.
        shipped: The network to export, such as one with scores instead of logits.
        shape: Shape of an example input.
        free: Names of the input and the output, in this order, each with its axes of variable length.
        out: Path of the ONNX file.
    """
    given, made = free
    torch.onnx.export(
        shipped.eval(),
        (torch.zeros(*shape),),
        str(out),
        opset_version=13,
        input_names=[given],
        output_names=[made],
        dynamic_axes=free,
        dynamo=False,
    )
    onnx.save(taken_apart(onnx.load(out)), out)
    torch.save(network.state_dict(), out.with_suffix(".pt"))
    print(f"wrote {out}")


def taken_apart(model: onnx.ModelProto) -> onnx.ModelProto:
    """Rewrite each 3 x 3 convolution of dilation DILATION in a model as a plain one over four subsampled maps.

    The model is changed in place and returned. Its outputs stay equal. If any convolution was rewritten, it takes one
    picture at a time, and the rewritten convolutions need maps of even height and width.
    """
    sizes = {one.name: one.dims for one in model.graph.initializer}
    nodes = list[onnx.NodeProto]()
    for node in model.graph.node:
        given = {one.name: list(one.ints) for one in node.attribute}
        if node.op_type == "Conv" and given["dilations"] == [DILATION, DILATION]:
            nodes += _apart(node, *sizes[node.input[1]][:2])
        else:
            nodes.append(node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    return model


def _apart(node: onnx.NodeProto, made: int, given: int) -> Iterator[onnx.NodeProto]:
    """Yield the nodes that replace a dilated convolution with `given` input and `made` output channels.

    In a shape, 0 keeps a dimension and -1 infers it, because height and width are unknown here.
    """
    weights = list(node.input[1:])
    steps: list[list[int] | tuple[int, ...] | None] = [
        # (1, c, h, w) becomes (2 c, w, h/2): first the even rows, then the odd ones
        [given, -1, DILATION, 0],
        (2, 0, 3, 1),
        # ... and (4, c, h/2, w/2): the same of columns
        [DILATION * given, -1, DILATION, 0],
        (2, 0, 3, 1),
        [DILATION**2, given, 0, -1],
        None,
        # and the way back
        [DILATION, DILATION * made, 0, -1],
        (1, 3, 0, 2),
        [DILATION, made, -1, 0],
        (1, 3, 0, 2),
        [1, made, -1, 0],
    ]
    last = node.input[0]
    for number, step in enumerate(steps, 1):
        name = node.output[0] if number == len(steps) else f"{node.output[0]}_{number}"
        if step is None:
            plain = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [1, 1], "dilations": [1, 1], "group": 1}
            yield helper.make_node("Conv", [last, *weights], [name], name=name, **plain)
        elif isinstance(step, tuple):
            yield helper.make_node("Transpose", [last], [name], name=name, perm=step)
        else:
            shape = numpy_helper.from_array(np.array(step, np.int64), f"{name}_shape")
            yield helper.make_node("Constant", [], [f"{name}_shape"], name=f"{name}_shape", value=shape)
            yield helper.make_node("Reshape", [last, f"{name}_shape"], [name], name=name)
        last = name
