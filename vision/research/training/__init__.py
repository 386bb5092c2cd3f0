"""What made the networks in `vision/models`: data, augmentation, the network, its training. Needs the extra `train`."""
