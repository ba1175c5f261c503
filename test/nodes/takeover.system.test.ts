import { testTakeover } from '../certificates/live/test-takeover.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { onPostgres } from '../support/server-data.ts';

testTakeover([100], () => onPostgres(sharedPostgres()));
