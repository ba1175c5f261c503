import type { Diagnoser } from '../../server/src/verification/observation/diagnoser.ts';

/** A diagnoser without DNS: it refuses every request. */
export const blindDiagnoser: Diagnoser = {
  diagnose: async () => ({ refused: 'unavailable' }),
  diagnoseName: async () => ({ refused: 'unavailable' }),
  discoverConnect: async () => ({ refused: 'unavailable' }),
};
