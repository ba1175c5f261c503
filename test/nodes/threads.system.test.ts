import { sharedPostgres } from '../support/postgres.ts';
import { threadedApi } from '../threads/api-threads.ts';

threadedApi(2, () => sharedPostgres().createDatabase());
