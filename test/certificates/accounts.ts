import type { CaAccount } from '../../src/store/store.ts';

/** Accounts in memory, as the contract has them; several issuers on one are nodes on one store. */
export function memoryAccounts() {
  const accounts = new Map<string, CaAccount>();
  return {
    accounts,
    findCaAccount: async (issuer: string) => accounts.get(issuer) ?? null,
    async createCaAccount(account: CaAccount) {
      const kept = accounts.get(account.issuer) ?? account;
      accounts.set(account.issuer, kept);
      return kept;
    },
    async updateCaAccount(issuer: string, change: Partial<CaAccount>) {
      const kept = accounts.get(issuer);
      if (kept !== undefined) accounts.set(issuer, { ...kept, ...change });
      return kept !== undefined;
    },
    async replaceCaAccount(before: string | null, after: CaAccount) {
      if (accounts.get(after.issuer)?.url !== before) return 'stale' as const;
      accounts.set(after.issuer, after);
      return 'replaced' as const;
    },
  };
}

export type MemoryAccounts = ReturnType<typeof memoryAccounts>;
