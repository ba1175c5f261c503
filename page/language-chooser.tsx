import { LANGUAGE_NAMES, type LanguageId } from './languages/choose.ts';

interface LanguageChooserProps {
  chosen: LanguageId;
  onChoose(id: LanguageId): void;
}

/** The languages of the page, by their own names. */
export function LanguageChooser({ chosen, onChoose }: LanguageChooserProps) {
  return (
    <nav class="np languages">
      {LANGUAGE_NAMES.map(([id, name]) => (
        <button
          key={id}
          type="button"
          lang={id}
          aria-current={id === chosen ? 'true' : undefined}
          onClick={() => onChoose(id)}
        >
          {name}
        </button>
      ))}
    </nav>
  );
}
