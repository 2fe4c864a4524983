import { lazy, Suspense, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { MAX_REVIEW_TEXT_LENGTH } from '../../../data/model/submission-status.ts';
import { FieldFrame, type FieldProps } from '../form/Field.tsx';
import form from '../form/form.module.css';
import type { FieldKeys } from './MentionOptions.tsx';
import mention from './mentions.module.css';

// Loaded when the first @ is typed.
const MentionOptions = lazy(() => import('./MentionOptions.tsx'));

/** The text between an @ and the caret; null without an @. */
const mentionBefore = (text: string): string | null =>
  /(?:^|[\s(,;])@([^\s@]{0,64})$/u.exec(text)?.[1] ?? null;

/**
 * A field for a note. After an @, it offers the team's admins. A text area cannot have the role `combobox`, so the focus stays in
 * the text, and `aria-activedescendant` names the option.
 */
export function NoteField({
  id,
  value,
  error = null,
  label,
  hint,
  onValue,
}: Pick<FieldProps, 'id' | 'value' | 'error' | 'label' | 'hint' | 'onValue'>) {
  const field = useRef<HTMLTextAreaElement>(null);
  const keys: FieldKeys = useRef(null);
  const caret = useRef<number | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const [option, setOption] = useState<string | undefined>();
  const optionsId = `${id}-mentions`;
  const close = useCallback(() => setTyped(null), []);
  // Runs before the paint, so that the next letter is typed after the name.
  useLayoutEffect(() => {
    if (caret.current !== null) field.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  });

  const readMention = ({ value: text, selectionStart }: HTMLTextAreaElement) =>
    setTyped(mentionBefore(text.slice(0, selectionStart)));
  const choose = (username: string) => {
    const end = field.current?.selectionStart ?? value.length;
    const before = `${value.slice(0, end).replace(/@[^\s@]*$/u, '')}@${username} `;
    caret.current = before.length;
    close();
    onValue(`${before}${value.slice(end).replace(/^ /, '')}`);
    field.current?.focus();
  };
  return (
    <FieldFrame id={id} label={label} hint={hint} error={error}>
      {(wiring) => (
        <div className={mention.field}>
          <textarea
            {...wiring}
            ref={field}
            name="note"
            className={form.lines}
            rows={2}
            maxLength={MAX_REVIEW_TEXT_LENGTH.note}
            required
            value={value}
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-controls={option === undefined ? undefined : optionsId}
            aria-activedescendant={option}
            onChange={({ target }) => {
              onValue(target.value);
              readMention(target);
            }}
            onKeyDown={(event) => keys.current?.(event)}
            onClick={({ currentTarget }) => readMention(currentTarget)}
            onBlur={close}
          />
          {typed === null ? null : (
            <Suspense>
              <MentionOptions
                id={optionsId}
                typed={typed}
                keys={keys}
                onOption={setOption}
                onChoose={choose}
                onClose={close}
              />
            </Suspense>
          )}
        </div>
      )}
    </FieldFrame>
  );
}
