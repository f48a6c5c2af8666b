// The tile of the exercise. It has one word for each number, and none for padding.
shared float tile[32 * 32];
