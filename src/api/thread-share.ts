/** The part of a process's limit that one of its threads has. The system spreads connections evenly over the threads. */
export function shareOf(limit: number, threads: number): number {
  return Math.max(1, Math.floor(limit / threads));
}
