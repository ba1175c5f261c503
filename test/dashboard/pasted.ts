import type { Page } from 'playwright-core';

/** A line that is no name, and what the dashboard says beside it. */
export interface PastedMistake {
  line: number;
  text: string;
  sentence: string;
}

export const MISTAKES: readonly PastedMistake[] = [
  ['not a name', 'It must not contain white space: " ".'],
  ['192.0.2.7', 'It must be a name, not an IP address: "192.0.2.7".'],
  ['localhost', 'The domain must not be a special-use name, or below one: "localhost".'],
  ['https://shop.example.net/cart', 'It must be a name without a scheme: "https://". Use "shop.example.net".'],
  ['shop..example.net', 'It must not have an empty label: "..".'],
  ['-shop.example.net', 'It must not begin or end a label with a hyphen: "-shop".'],
  ['shop.example.net:8443', 'It must be a name without a port: ":8443". Use "shop.example.net".'],
  ['com', 'It must have at least two labels with a dot between them: "com".'],
  [
    `${'a'.repeat(64)}.example.net`,
    `It must not have a label of more than 63 characters in ASCII form: "${'a'.repeat(64)}".`,
  ],
  ['shop.local', 'The domain must not be a special-use name, or below one: "local".'],
].map(([text = '', sentence = ''], at) => ({ line: at * 20 + 7, text, sentence }));

/** 200 lines with these mistakes among them. */
export const PASTED: readonly string[] = Array.from({ length: 200 }, (_, at) => {
  const mistake = MISTAKES.find(({ line }) => line === at + 1);
  return mistake?.text ?? `shop-${String(at + 1).padStart(3, '0')}.example.com,customer_${at + 1}`;
});

/** The fields of lines with a mistake, each with its sentence. */
export async function readMistakes(page: Page): Promise<PastedMistake[]> {
  const fields = await page.getByRole('textbox', { name: /^Line \d+$/ }).all();
  return Promise.all(
    fields.map(async (field) => {
      const id = await field.getAttribute('id');
      const about = await field.getAttribute('aria-describedby');
      const label = (await page.locator(`label[for="${id}"]`).textContent()) ?? '';
      return {
        line: Number(/\d+/.exec(label)?.[0]),
        text: await field.inputValue(),
        sentence: ((await page.locator(`[id="${about}"]`).textContent()) ?? '').trim(),
      };
    }),
  );
}
