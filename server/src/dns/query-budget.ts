import type { QueryBudget } from './resolver.ts';

/** Most queries of one check or diagnosis. */
export const CHECK_QUERIES = 60;
/** Most of them for addresses of nameservers: a hostile zone may name another domain's, new ones in each referral (NXNSAttack). */
const ADDRESS_QUERIES = 6;

export function queryBudget(queries = CHECK_QUERIES): QueryBudget {
  let left = queries;
  let leftForAddresses = ADDRESS_QUERIES;
  let exhausted = false;

  function takeIf(isAllowed: boolean): boolean {
    if (isAllowed) left--;
    else exhausted = true;
    return isAllowed;
  }

  return {
    take: () => takeIf(left > 0),
    takeForAddress: () => takeIf(left > 0 && leftForAddresses-- > 0),
    get exhausted() {
      return exhausted;
    },
  };
}
