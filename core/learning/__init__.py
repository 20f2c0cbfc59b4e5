"""What turns blocks into something that learns: models, tasks, optimisers, the training loop."""
