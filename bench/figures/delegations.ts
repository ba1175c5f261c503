import { alternate, type Figure, showSpread } from '../figure.ts';
import type { DelegationsPart } from '../parts/delegations.ts';
import { ratioOf, spreadOf } from '../spread.ts';

const FEW = 1000;
const MANY = 100_000;
const GOAL_MICROS = 1;

/** The time to find a cached delegation must not depend on the number of cached zones. */
export const delegations: Figure = {
  name: 'delegations',
  async measure({ effort, start }) {
    const [many, few] = [await start<DelegationsPart>('delegations'), await start<DelegationsPart>('delegations')];
    await many.call.open(MANY);
    await few.call.open(FEW);
    const samples = await alternate(
      effort,
      () => many.call.run(effort.seconds),
      () => few.call.run(effort.seconds),
    );
    const micros = spreadOf(samples.subject);
    return [
      {
        figure: `a cached delegation, ${MANY.toLocaleString('en-US')} zones`,
        measured: `${showSpread(micros)} CPU-µs`,
        baseline: `with ${FEW.toLocaleString('en-US')}: ${showSpread(spreadOf(samples.baseline))} CPU-µs`,
        result: `${showSpread(ratioOf(samples.subject, samples.baseline))} times as long`,
        goal: `under ${GOAL_MICROS} CPU-µs`,
        met: micros.median < GOAL_MICROS,
      },
    ];
  },
};
