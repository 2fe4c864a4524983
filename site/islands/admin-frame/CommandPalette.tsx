import { type KeyboardEvent, useId, useState } from 'react';
import type { ExportFormat } from '../../../data/contract/admin-files.ts';
import type { SearchResult } from '../../../data/contract/admin-search.ts';
import { LIST_IDS, type ListId, listDefinition } from '../../../data/model/admin-lists.ts';
import { formatCount } from '../../../data/model/digit-grouping.ts';
import { REFERENCE_NUMBER_PATTERN } from '../../../data/model/reference-number.ts';
import { useHasRole } from '../admin/admin-calls.ts';
import { dashboardUrl, listRoute, tabLabel } from '../admin-dashboard/dashboard-route.ts';
import dialog from '../admin-dashboard/record.module.css';
import { ModalDialog } from '../form/ModalDialog.tsx';
import styles from './frame.module.css';
import { NAVIGATION_ENTRIES } from './navigation.ts';
import { RecordResult, useRecordSearch } from './record-results.tsx';

export type Command = { readonly id: string; readonly label: string } & (
  | { readonly kind: 'open'; readonly href: string; readonly result?: SearchResult }
  | { readonly kind: 'export'; readonly list: ListId; readonly format: ExportFormat }
  | { readonly kind: 'export-view' | 'keys' | 'logout' }
);

const toOpenCommand = (id: string, label: string, href: string): Command => ({
  id,
  label,
  kind: 'open',
  href,
});

const VIEW_COMMANDS: readonly Command[] = [
  ...NAVIGATION_ENTRIES.map(({ id, label, href }) => toOpenCommand(`go ${id}`, `Go to ${label}`, href)),
  ...LIST_IDS.filter((list) => listDefinition(list).undecidedStatuses.length > 0).map((list) =>
    toOpenCommand(
      `open ${list}`,
      `Waiting for the team: ${tabLabel(list)}`,
      dashboardUrl(listRoute(list, { filters: { due: 'open' }, sort: 'dueAt', order: 'asc' })),
    ),
  ),
];
const EXPORT_VIEW: Command = { id: 'export-view', kind: 'export-view', label: 'Export this list…' };
const EXPORT_COMMANDS: readonly Command[] = LIST_IDS.flatMap((list) =>
  (['json', 'csv'] as const).map((format) => ({
    id: `export ${list} ${format}`,
    kind: 'export',
    list,
    format,
    label: `Export ${tabLabel(list)} as ${format.toUpperCase()}`,
  })),
);
const LAST_COMMANDS: readonly Command[] = [
  { id: 'keys', kind: 'keys', label: 'Keyboard shortcuts' },
  { id: 'logout', kind: 'logout', label: 'Logout' },
];

type RecordGroups = ReturnType<typeof useRecordSearch>['groups'];

const toRecordCommand = (result: SearchResult): Command => {
  const { list, referenceNumber: reference } = result;
  const href = dashboardUrl({ ...listRoute(list), openReference: reference });
  return { id: `record ${reference}`, label: reference, kind: 'open', href, result };
};

/**
 * The commands whose labels contain every typed word. If the text is a reference number, the command that opens its record comes
 * first. Otherwise, the matching records follow, then one command per list to search that list.
 */
export function commandsFor(
  text: string,
  mayExport: boolean,
  recordGroups: RecordGroups = [],
  hasList = false,
): readonly Command[] {
  const query = text.trim();
  const exportCommands = hasList ? [EXPORT_VIEW, ...EXPORT_COMMANDS] : EXPORT_COMMANDS;
  const allCommands = [...VIEW_COMMANDS, ...(mayExport ? exportCommands : []), ...LAST_COMMANDS];
  if (query === '') return allCommands;
  const words = query.toLowerCase().split(/\s+/);
  const matchingCommands = allCommands.filter(({ label }) =>
    words.every((word) => label.toLowerCase().includes(word)),
  );
  const reference = query.toUpperCase();
  if (REFERENCE_NUMBER_PATTERN.test(reference)) {
    const href = dashboardUrl({ tab: 'overview', view: null, openReference: reference });
    return [toOpenCommand('record', `Open ${reference}`, href), ...matchingCommands];
  }
  const searchCommands = LIST_IDS.map((list) =>
    toOpenCommand(
      `search ${list}`,
      searchLabel(list, query, recordGroups),
      dashboardUrl(listRoute(list, { q: query })),
    ),
  );
  return [
    ...matchingCommands,
    ...recordGroups.flatMap(({ results }) => results.map(toRecordCommand)),
    ...searchCommands,
  ];
}

function searchLabel(list: ListId, query: string, recordGroups: RecordGroups): string {
  const group = recordGroups.find((one) => one.list === list);
  if (!group || group.total === group.results.length) return `Search ${tabLabel(list)} for “${query}”`;
  return `Show all ${formatCount(group.total)}${group.isTotalExact ? '' : ' or more'} in ${tabLabel(list)} for “${query}”`;
}

interface CommandPaletteProps {
  /** What was typed before the palette could open. */
  readonly earlyText: string;
  readonly hasList: boolean;
  readonly onRun: (command: Command) => void;
  readonly onClose: () => void;
}

export default function CommandPalette({ earlyText, hasList, onRun, onClose }: CommandPaletteProps) {
  const id = useId();
  const mayExport = useHasRole('reviewer');
  const [text, setText] = useState(earlyText);
  // An id and not a position, so that results that arrive later do not change the choice. Null means the first result.
  const [chosenId, setChosenId] = useState<string | null>(null);
  const { groups: recordGroups, note } = useRecordSearch(text);
  const commands = commandsFor(text, mayExport === true, recordGroups, hasList);
  const activeIndex = Math.max(
    0,
    commands.findIndex((command) => command.id === chosenId),
  );
  const optionId = (index: number) => `${id}-${index}`;
  return (
    <ModalDialog labelledby={`${id}-title`} isBusy={false} onClose={onClose}>
      {(close) => {
        const run = (command: Command | undefined) => {
          if (command === undefined) return;
          close();
          onRun(command);
        };
        const moveActive = (offset: number) => {
          const newIndex = (activeIndex + offset + commands.length) % commands.length;
          setChosenId(commands[newIndex]?.id ?? null);
          document.getElementById(optionId(newIndex))?.scrollIntoView({ block: 'nearest' });
        };
        const onKeyDown = (event: KeyboardEvent) => {
          if (event.key === 'ArrowDown') moveActive(1);
          else if (event.key === 'ArrowUp') moveActive(-1);
          else if (event.key === 'Enter') run(commands[activeIndex]);
          else return;
          event.preventDefault();
        };
        return (
          <div className={dialog.palette}>
            <h2 id={`${id}-title`}>Search and commands</h2>
            <input
              type="text"
              role="combobox"
              aria-label="Search by name, email, reference number or keyword, or enter a command"
              aria-expanded="true"
              aria-controls={`${id}-list`}
              aria-activedescendant={commands.length === 0 ? undefined : optionId(activeIndex)}
              autoComplete="off"
              spellCheck={false}
              maxLength={120}
              placeholder="Name, email, reference number, keyword or command"
              value={text}
              onChange={({ target }) => {
                setText(target.value);
                setChosenId(null);
              }}
              onKeyDown={onKeyDown}
            />
            <p role="status" className={styles.note}>
              {note}
            </p>
            <div
              role="listbox"
              id={`${id}-list`}
              aria-label="Records and commands"
              className={dialog.commands}
            >
              {commands.map((command, index) => (
                <button
                  key={command.id}
                  id={optionId(index)}
                  type="button"
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === activeIndex}
                  onClick={() => run(command)}
                >
                  {command.kind === 'open' && command.result ? (
                    <RecordResult result={command.result} />
                  ) : (
                    command.label
                  )}
                </button>
              ))}
            </div>
            {/* Phones have no Escape key, and no room to tap outside the palette. */}
            <p>
              <button type="button" className="button" onClick={close}>
                Close
              </button>
            </p>
          </div>
        );
      }}
    </ModalDialog>
  );
}
