import type { QueryBudget } from './resolver.ts';

/** Most queries of one check. */
export const CHECK_QUERIES = 40;

export function queryBudget(queries = CHECK_QUERIES): QueryBudget {
  let left = queries;
  let exhausted = false;
  return {
    take() {
      if (left > 0) {
        left--;
        return true;
      }
      exhausted = true;
      return false;
    },
    get exhausted() {
      return exhausted;
    },
  };
}
