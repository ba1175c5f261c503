import { addCount, chunkOf, type HourUsage, newChunk, type UsageCounts } from '../../server/src/store/store.ts';

/** The counts of domains in an hour, by their usage numbers. */
export function usageIn(hour: number, counts: ReadonlyMap<number, UsageCounts>): HourUsage {
  const chunks: HourUsage['chunks'] = new Map();
  for (const [number, of] of counts) {
    const chunk = chunks.get(chunkOf(number)) ?? newChunk();
    chunks.set(chunkOf(number), chunk);
    for (const name of Object.keys(of) as (keyof UsageCounts)[]) addCount(chunk, number, name, of[name]);
  }
  return { hour, chunks };
}
