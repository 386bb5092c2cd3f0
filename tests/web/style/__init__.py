"""The page /style of the design system: tokens, type scale, components, states. For development: it is not shipped."""
