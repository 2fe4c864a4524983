import { type KeyboardEvent, useId, useState } from 'react';
import type { ExportFormat } from '../../../data/contract/admin-files.ts';
import { LIST_IDS, type ListId, listOf } from '../../../data/model/admin-lists.ts';
import { REFERENCE_NUMBER } from '../../../data/model/reference-number.ts';
import { useMay } from '../admin/admin-calls.ts';
import { dashboardUrl, listRoute, tabLabel } from '../admin-dashboard/dashboard-route.ts';
import styles from '../admin-dashboard/record.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import { PLACES } from './places.ts';

export type Command = { readonly id: string; readonly label: string } & (
  | { readonly kind: 'open'; readonly href: string }
  | { readonly kind: 'export'; readonly list: ListId; readonly format: ExportFormat }
  | { readonly kind: 'keys' | 'logout' }
);

const open = (id: string, label: string, href: string): Command => ({ id, label, kind: 'open', href });

const VIEWS: readonly Command[] = [
  ...PLACES.map(({ id, label, href }) => open(`go ${id}`, `Go to ${label}`, href)),
  ...LIST_IDS.filter((list) => listOf(list).undecided.length > 0).map((list) =>
    open(
      `open ${list}`,
      `New: ${tabLabel(list)}`,
      dashboardUrl(listRoute(list, { filters: { due: 'open' }, sort: 'dueAt', order: 'asc' })),
    ),
  ),
];
const EXPORTS: readonly Command[] = LIST_IDS.flatMap((list) =>
  (['json', 'csv'] as const).map((format) => ({
    id: `export ${list} ${format}`,
    kind: 'export',
    list,
    format,
    label: `Export ${tabLabel(list)} as ${format.toUpperCase()}`,
  })),
);
const LAST: readonly Command[] = [
  { id: 'keys', kind: 'keys', label: 'Keyboard shortcuts' },
  { id: 'logout', kind: 'logout', label: 'Logout' },
];

/**
 * The commands with every typed word in their label. If the text is a reference number, the first command opens its record.
 * Otherwise, the last commands search each list for the text.
 */
export function commandsFor(text: string, mayExport: boolean): readonly Command[] {
  const query = text.trim();
  const all = [...VIEWS, ...(mayExport ? EXPORTS : []), ...LAST];
  if (query === '') return all;
  const words = query.toLowerCase().split(/\s+/);
  const matching = all.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const reference = query.toUpperCase();
  if (REFERENCE_NUMBER.test(reference)) {
    const href = dashboardUrl({ tab: 'overview', list: null, record: reference });
    return [open('record', `Open ${reference}`, href), ...matching];
  }
  const searches = LIST_IDS.map((list) =>
    open(
      `search ${list}`,
      `Search ${tabLabel(list)} for “${query}”`,
      dashboardUrl(listRoute(list, { q: query })),
    ),
  );
  return [...matching, ...searches];
}

interface CommandPaletteProps {
  readonly onRun: (command: Command) => void;
  readonly onClose: () => void;
}

/** Finds the places and commands of the admin area by typing. Arrow keys choose a command, Enter runs it. */
export default function CommandPalette({ onRun, onClose }: CommandPaletteProps) {
  const id = useId();
  const mayExport = useMay('reviewer');
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const commands = commandsFor(text, mayExport === true);
  const active = Math.min(chosen, commands.length - 1);
  const optionId = (index: number) => `${id}-${index}`;
  return (
    <ModalDialog labelledby={`${id}-title`} isBusy={false} onClose={onClose}>
      {(close) => {
        const run = (command: Command | undefined) => {
          if (command === undefined) return;
          close();
          onRun(command);
        };
        const step = (offset: number) => {
          const to = (active + offset + commands.length) % commands.length;
          setChosen(to);
          document.getElementById(optionId(to))?.scrollIntoView({ block: 'nearest' });
        };
        const onKeyDown = (event: KeyboardEvent) => {
          if (event.key === 'ArrowDown') step(1);
          else if (event.key === 'ArrowUp') step(-1);
          else if (event.key === 'Enter') run(commands[active]);
          else return;
          event.preventDefault();
        };
        return (
          <div className={styles.palette}>
            <h2 id={`${id}-title`}>Commands</h2>
            <input
              type="text"
              role="combobox"
              aria-label="Command, reference number or search term"
              aria-expanded="true"
              aria-controls={`${id}-list`}
              aria-activedescendant={commands.length === 0 ? undefined : optionId(active)}
              autoComplete="off"
              spellCheck={false}
              maxLength={120}
              placeholder="Type a command, reference number or search term"
              value={text}
              onChange={({ target }) => {
                setText(target.value);
                setChosen(0);
              }}
              onKeyDown={onKeyDown}
            />
            <div role="listbox" id={`${id}-list`} aria-label="Commands" className={styles.commands}>
              {commands.map((command, index) => (
                <button
                  key={command.id}
                  id={optionId(index)}
                  type="button"
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === active}
                  onClick={() => run(command)}
                >
                  {command.label}
                </button>
              ))}
            </div>
          </div>
        );
      }}
    </ModalDialog>
  );
}
