import { workerData } from 'node:worker_threads';
import { startBackground } from './background-role.ts';
import { runRoleThread } from './role-thread.ts';

// The script of the thread of checks, deliveries and certificates.

await runRoleThread(workerData, startBackground);
