/** Texts about secrets that are shown once. */
export const SECRETS = {
  once: 'Save it now: it is not shown again.',
  saved: 'I have saved it',
  overlap: 'The one before works',
  overlaps: [
    { seconds: 0, command: '0', label: 'no longer: it has leaked' },
    { seconds: 3_600, command: '1h', label: 'for another hour' },
    { seconds: 86_400, command: '1d', label: 'for another day' },
    { seconds: 604_800, command: '7d', label: 'for another 7 days' },
  ],
} as const;
