import { LANGUAGE_NAMES } from '../languages/choose.ts';
import { chooseLanguage, LANGUAGE } from './languages/choose-texts.ts';
import { TEXT } from './text.ts';

/** The languages, by their own names. */
export function LanguageField() {
  return (
    <label class="language">
      {TEXT.language}
      <select value={LANGUAGE} onChange={({ currentTarget }) => chooseLanguage(currentTarget.value as typeof LANGUAGE)}>
        {LANGUAGE_NAMES.map(([id, name]) => (
          <option key={id} value={id} lang={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
