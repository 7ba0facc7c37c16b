"""What a build will take, estimated from its own stages run on samples."""
