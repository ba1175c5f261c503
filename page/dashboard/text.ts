/** Every text of the dashboard, in English. Texts of the API about mistakes (`message`, `fix`) are shown as they are. */
export const TEXT = {
  product: 'Nameplate',
  opening: 'Opening the dashboard…',
  tryAgain: 'Try again',
  loginCommand: 'nameplate dashboard login --workspace ws_… --as YOUR-NAME --preset owner',
  entrance: {
    link: {
      title: 'This sign-in link does not work any more',
      text: 'Each link works once, for five minutes. Make another one on the server, or ask the operator for one:',
    },
    session: {
      title: 'Sign in to the dashboard',
      text: 'Make a sign-in link on the server, or ask the operator for one, and open it here:',
    },
    failed: { title: 'The server cannot be reached', text: 'Nothing is lost. Check your connection, then try again.' },
  },
  pages: {
    home: 'Who needs me',
    domains: 'Domains',
    environments: 'Environments',
    keys: 'Keys',
    webhooks: 'Webhooks',
    moving: 'Moving in',
    audit: 'Audit log',
    brand: 'Brand',
  },
  skip: 'Skip to the content',
  signOut: 'Sign out',
  signOutEverywhere: 'Sign out everywhere',
  notFound: { title: 'There is no such page', text: 'The address may have been copied in part.' },
  failedToLoad: 'This could not be loaded.',
} as const;

export type PageName = keyof typeof TEXT.pages;
