import type { Figure } from '../figure.ts';
import type { Steps } from '../parts/steps.ts';

/** Measures each step of a getDomain request; the rest of a whole request is HTTP and the framework. */
export const steps: Figure = {
  name: 'steps',
  async measure(bench) {
    const population = await bench.populate(Math.min(10_000, bench.effort.mostDomains));
    const part = await bench.start<Steps>('steps', { profiled: true });
    return (await part.call.measure(population)).map(({ name, micros }) => ({
      figure: `getDomain: ${name}`,
      measured: `${micros.toFixed(2)} CPU-µs`,
      baseline: '',
      result: '',
      goal: '',
      met: null,
    }));
  },
};
