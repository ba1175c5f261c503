/** Texts about secrets that are shown once. */
export const SECRETS = {
  once: 'Save it now: it is not shown again.',
  saved: 'I have saved it',
  overlap: 'The one before works',
  overlaps: [
    { seconds: 0, command: '0', label: 'No longer: it has leaked' },
    { seconds: 3_600, command: '1h', label: 'For another hour' },
    { seconds: 86_400, command: '1d', label: 'For another day' },
    { seconds: 604_800, command: '7d', label: 'For another 7 days' },
  ],
} as const;
