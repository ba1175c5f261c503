import { testTakeover } from './live/test-takeover.ts';

testTakeover();
