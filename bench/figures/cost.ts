import type { Figure } from '../figure.ts';
import { showNumber, showSpread } from '../figure.ts';
import type { Part } from '../part.ts';
import type { Cost } from '../parts/cost.ts';
import { ratioOf, spreadOf } from '../spread.ts';

const GOAL = 0.2;
const SIZES = [1000, 10_000, 100_000, 1_000_000];
const CHECKS_A_SECOND = 5000;

/** CPU time of a check by how many domains are on the schedule: all sizes in turn, as they would be two. */
export const cost: Figure = {
  name: 'cost',
  async measure(bench) {
    const { effort } = bench;
    const sizes = SIZES.filter((size) => size <= effort.mostDomains);
    const measured: { size: number; part: Part<Cost>; micros: number[] }[] = [];
    for (const size of sizes) {
      const population = size === effort.mostDomains ? await bench.shared(size) : await bench.populate(size);
      const part = await bench.start<Cost>('cost', { profiled: true });
      await part.call.open(population);
      measured.push({ size, part, micros: [] });
    }
    const checks = CHECKS_A_SECOND * effort.seconds;
    for (const { part } of measured) await part.call.measure(checks);
    for (let round = 0; round < effort.rounds; round++) {
      for (const { part, micros } of measured) micros.push(await part.call.measure(checks));
    }
    const smallest = measured[0]?.micros ?? [];
    return measured.map(({ size, micros }) => {
      const ratio = ratioOf(micros, smallest);
      return {
        figure: `a check with ${showNumber(size)} pending domains, without DNS`,
        measured: `${showSpread(spreadOf(micros), 0)} CPU-µs`,
        baseline: size === SIZES[0] ? '' : `with ${showNumber(SIZES[0] ?? 0)}`,
        result: showSpread(ratio),
        goal: `within ${GOAL * 100}%`,
        met: Math.abs(ratio.median - 1) <= GOAL,
      };
    });
  },
};
