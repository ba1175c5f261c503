import { testTakeover } from './live/test-takeover.ts';

testTakeover([0, 100]);
