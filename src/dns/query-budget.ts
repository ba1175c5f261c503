/** How many queries one check may still send, whatever the zones of its names make it ask. */
export interface QueryBudget {
  /** Takes one query; false when none is left. */
  take(): boolean;
  /** Whether a query was refused. */
  readonly exhausted: boolean;
}

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
