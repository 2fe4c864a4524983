import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { usernameKey } from '../../../data/model/admin-rules.ts';
import mention from './mentions.module.css';
import { mentionableQuery } from './team-queries.ts';

/** Handles a key of the field while options are shown. */
export type FieldKeys = RefObject<((event: KeyboardEvent) => void) | null>;

/** How many admins are offered at once. */
const SHOWN = 8;

interface MentionOptionsProps {
  readonly id: string;
  /** The text after the @. */
  readonly typed: string;
  readonly keys: FieldKeys;
  /** Called with the id of the active option. */
  readonly onOption: (id: string | undefined) => void;
  readonly onChoose: (username: string) => void;
  readonly onClose: () => void;
}

/** The admins whose names contain the typed text. Names that begin with it come first. */
export default function MentionOptions({
  id,
  typed,
  keys,
  onOption,
  onChoose,
  onClose,
}: MentionOptionsProps) {
  const { data } = useQuery(mentionableQuery());
  const list = useRef<HTMLDivElement>(null);
  const [moved, setMoved] = useState({ typed, to: 0 });
  const key = usernameKey(typed);
  const places = data?.admins.map((admin) => ({ admin, at: usernameKey(admin.username).indexOf(key) })) ?? [];
  const found = [...places.filter(({ at }) => at === 0), ...places.filter(({ at }) => at > 0)]
    .slice(0, SHOWN)
    .map(({ admin }) => admin);
  // After another letter is typed, the first match is active again.
  const active = moved.typed === typed ? Math.min(moved.to, found.length - 1) : 0;
  const chosen = found[active];
  const optionId = chosen && `${id}-${chosen.id}`;

  // Runs before the paint, so that the next key already moves through the options.
  useLayoutEffect(() => {
    onOption(optionId);
    return () => onOption(undefined);
  }, [optionId, onOption]);
  useLayoutEffect(() => {
    keys.current = (event) => {
      const { key: pressed, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey || chosen === undefined) return;
      const step = { ArrowDown: 1, ArrowUp: -1 }[pressed];
      if (step !== undefined) setMoved({ typed, to: (active + step + found.length) % found.length });
      else if ((pressed === 'Enter' || pressed === 'Tab') && !event.shiftKey) onChoose(chosen.username);
      else if (pressed === 'Escape') onClose();
      else return;
      event.preventDefault();
      // Keeps Escape from closing the record as well.
      event.stopPropagation();
    };
    return () => {
      keys.current = null;
    };
  });
  const isShown = found.length > 0;
  useEffect(() => {
    if (isShown) list.current?.scrollIntoView({ block: 'nearest' });
  }, [isShown]);
  useEffect(() => {
    if (optionId !== undefined) document.getElementById(optionId)?.scrollIntoView({ block: 'nearest' });
  }, [optionId]);

  return (
    <>
      <p role="status" className="visually-hidden">
        {data === undefined ? '' : `${found.length} ${found.length === 1 ? 'admin' : 'admins'} found`}
      </p>
      {isShown ? (
        <div ref={list} role="listbox" id={id} aria-label="Admins" className={mention.options}>
          {found.map(({ id: adminId, username }, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the field keeps the focus and takes the keys
            <div
              key={adminId}
              role="option"
              id={`${id}-${adminId}`}
              aria-selected={index === active}
              // The field keeps the focus.
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
