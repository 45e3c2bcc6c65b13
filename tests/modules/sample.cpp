extern "C" int sample() { return 0; }
