"""Examples that nobody photographed: painted dice, and rendered trays."""
