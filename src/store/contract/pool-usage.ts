/** The connections of one store to its database server. */
export interface PoolUsage {
  /** `reads`: once all connections are in use, statements share them. `writes`: each transaction has one to itself. */
  pool: 'reads' | 'writes';
  /** Open, or being opened. */
  connections: number;
  idle: number;
  /** Transactions that have no connection yet; reads that share one, or wait until theirs is open. */
  waiting: number;
  /** How long the one that waits for longest has been waiting for a connection; 0: none waits. */
  longestWaitMs: number;
}
