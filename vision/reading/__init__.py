"""From a frame to a Reading: candidates, vetoes and the reader."""
