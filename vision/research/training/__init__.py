"""Training of the networks in `vision/models`: data, augmentation, network, loop. Needs the extra `train`."""
