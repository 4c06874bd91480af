// Placeholder so that the package graph resolves.
