/** Texts of the page of the brand. */
export const BRAND = {
  about: 'How the set-up pages of your customers look. Pages that are open change within two minutes.',
  fields: {
    name: { label: 'Name', hint: 'Of your platform.' },
    accent: { label: 'Colour', hint: 'Of buttons and links, such as #1d5fd1.' },
    accentDark: { label: 'Colour on dark', hint: 'The same colour unless you give another one.' },
    support: { label: 'Help', hint: 'Where customers get help: mailto:help@example.net, or an https URL.' },
  },
  logo: 'Logo',
  logoHint: 'PNG, WebP, JPEG or SVG, at most 64 KiB.',
  removeLogo: 'Remove the logo',
  pick: (label: string) => `Pick: ${label}`,
  origins: 'Pages that may embed the component',
  originsHint: 'One origin a line, such as https://app.example.net.',
  save: 'Save',
  saved: 'Saved.',
  unsaved: 'Not saved yet.',
  preview: 'Preview',
  previewText: 'The page of a customer, with what is typed here.',
  light: 'Light',
  dark: 'Dark',
} as const;
