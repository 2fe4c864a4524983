import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { usernameKey } from '../../../data/model/admin-rules.ts';
import mention from './mentions.module.css';
import { mentionableAdminsQuery } from './team-queries.ts';

/** The handler for key presses in the note field; null while the field shows no `MentionOptions`. */
export type KeyHandlerRef = RefObject<((event: KeyboardEvent) => void) | null>;

const MAX_OPTIONS = 8;

interface MentionOptionsProps {
  readonly id: string;
  /** The text after the @. */
  readonly typedName: string;
  readonly keyHandler: KeyHandlerRef;
  /** Called with the id of the active option, or with undefined if there is none. */
  readonly onActiveOption: (id: string | undefined) => void;
  readonly onChoose: (username: string) => void;
  readonly onClose: () => void;
}

/** The admins with the typed text in their names. Names that begin with it come first. */
export default function MentionOptions({
  id,
  typedName,
  keyHandler,
  onActiveOption,
  onChoose,
  onClose,
}: MentionOptionsProps) {
  const { data } = useQuery(mentionableAdminsQuery());
  const list = useRef<HTMLDivElement>(null);
  const [selection, setSelection] = useState({ typed: typedName, selectedIndex: 0 });
  const typedKey = usernameKey(typedName);
  const matches =
    data?.admins.map((admin) => ({ admin, matchIndex: usernameKey(admin.username).indexOf(typedKey) })) ?? [];
  const options = [
    ...matches.filter(({ matchIndex }) => matchIndex === 0),
    ...matches.filter(({ matchIndex: at }) => at > 0),
  ]
    .slice(0, MAX_OPTIONS)
    .map(({ admin }) => admin);
  const activeIndex =
    selection.typed === typedName ? Math.min(selection.selectedIndex, options.length - 1) : 0;
  const activeOption = options[activeIndex];
  const optionId = activeOption && `${id}-${activeOption.id}`;

  // Both effects run before the browser paints, so that the next key press already uses the new options.
  useLayoutEffect(() => {
    onActiveOption(optionId);
    return () => onActiveOption(undefined);
  }, [optionId, onActiveOption]);
  useLayoutEffect(() => {
    keyHandler.current = (event) => {
      const { key: pressedKey, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey || activeOption === undefined) return;
      const step = { ArrowDown: 1, ArrowUp: -1 }[pressedKey];
      if (step !== undefined)
        setSelection({
          typed: typedName,
          selectedIndex: (activeIndex + step + options.length) % options.length,
        });
      else if ((pressedKey === 'Enter' || pressedKey === 'Tab') && !event.shiftKey)
        onChoose(activeOption.username);
      else if (pressedKey === 'Escape') onClose();
      else return;
      event.preventDefault();
      // Keeps Escape from closing the record as well.
      event.stopPropagation();
    };
    return () => {
      keyHandler.current = null;
    };
  });
  const isShown = options.length > 0;
  useEffect(() => {
    if (isShown) list.current?.scrollIntoView({ block: 'nearest' });
  }, [isShown]);
  useEffect(() => {
    if (optionId !== undefined) document.getElementById(optionId)?.scrollIntoView({ block: 'nearest' });
  }, [optionId]);

  return (
    <>
      <p role="status" className="visually-hidden">
        {data === undefined ? '' : `${options.length} ${options.length === 1 ? 'admin' : 'admins'} found`}
      </p>
      {isShown ? (
        <div ref={list} role="listbox" id={id} aria-label="Admins" className={mention.options}>
          {options.map(({ id: adminId, username }, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the field keeps the focus and handles the keys
            <div
              key={adminId}
              role="option"
              id={`${id}-${adminId}`}
              aria-selected={index === activeIndex}
              // Keeps the focus in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onChoose(username)}
            >
              @{username}
            </div>
          ))}
        </div>
      ) : null}
    </>
  );
}
