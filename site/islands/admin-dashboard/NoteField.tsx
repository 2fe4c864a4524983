import { lazy, Suspense, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { MAX_REVIEW_TEXT_LENGTH } from '../../../data/model/submission-status.ts';
import { FieldFrame, type FieldProps } from '../form/Field.tsx';
import form from '../form/form.module.css';
import type { KeyHandlerRef } from './MentionOptions.tsx';
import mention from './mentions.module.css';

const MentionOptions = lazy(() => import('./MentionOptions.tsx'));

/** The text between the @ of a mention and the caret; null if no mention is being typed. */
const mentionBefore = (text: string): string | null =>
  /(?:^|[\s(,;])@([^\s@]{0,64})$/u.exec(text)?.[1] ?? null;

/**
 * A field for a note. After an @, it suggests the team's admins. The focus stays in the text area, and
 * `aria-activedescendant` names the active option. The role `combobox` is not allowed on a text area.
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
  const keyHandler: KeyHandlerRef = useRef(null);
  const pendingCaret = useRef<number | null>(null);
  const [typedName, setTypedName] = useState<string | null>(null);
  const [activeOptionId, setActiveOptionId] = useState<string | undefined>();
  const optionsId = `${id}-mentions`;
  const close = useCallback(() => setTypedName(null), []);
  // Runs before the browser paints, so that the next letter is typed after the inserted name.
  useLayoutEffect(() => {
    if (pendingCaret.current !== null)
      field.current?.setSelectionRange(pendingCaret.current, pendingCaret.current);
    pendingCaret.current = null;
  });

  const readMention = ({ value: text, selectionStart }: HTMLTextAreaElement) =>
    setTypedName(mentionBefore(text.slice(0, selectionStart)));
  const insertMention = (username: string) => {
    const mentionEnd = field.current?.selectionStart ?? value.length;
    const textBeforeCaret = `${value.slice(0, mentionEnd).replace(/@[^\s@]*$/u, '')}@${username} `;
    pendingCaret.current = textBeforeCaret.length;
    close();
    onValue(`${textBeforeCaret}${value.slice(mentionEnd).replace(/^ /, '')}`);
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
            aria-controls={activeOptionId === undefined ? undefined : optionsId}
            aria-activedescendant={activeOptionId}
            onChange={({ target }) => {
              onValue(target.value);
              readMention(target);
            }}
            onKeyDown={(event) => keyHandler.current?.(event)}
            onClick={({ currentTarget }) => readMention(currentTarget)}
            onBlur={close}
          />
          {typedName === null ? null : (
            <Suspense>
              <MentionOptions
                id={optionsId}
                typedName={typedName}
                keyHandler={keyHandler}
                onActiveOption={setActiveOptionId}
                onChoose={insertMention}
                onClose={close}
              />
            </Suspense>
          )}
        </div>
      )}
    </FieldFrame>
  );
}
