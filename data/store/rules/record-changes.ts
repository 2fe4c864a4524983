import { LIST_IDS, LIST_OF_KIND } from '../../model/admin-lists.ts';
import type { AuditRecord } from '../audit-port.ts';
import type { DeliveryStore } from '../delivery-port.ts';

/** The parts of the team's pages that a change can affect: a list with its records, or the admins' sessions. */
export const CHANGED_PARTS = [...LIST_IDS, 'sessions'] as const;
export type ChangedPart = (typeof CHANGED_PARTS)[number];

const RECORD_LISTS = Object.values(LIST_OF_KIND);

/** The parts that an audited action changes. The key is the beginning of the action's name, up to the first dot. */
const PARTS_BY_ACTION: Readonly<Record<string, readonly ChangedPart[]>> = {
  ...Object.fromEntries(Object.entries(LIST_OF_KIND).map(([kind, list]) => [kind, [list]])),
  'loan-document': ['loan-applications'],
  card: ['applications', 'verification-requests'],
  // These actions are about records of any kind.
  record: RECORD_LISTS,
  note: RECORD_LISTS,
  person: LIST_IDS,
  delivery: LIST_IDS,
  deliveries: LIST_IDS,
  admin: ['sessions'],
};

export function changedParts({ action }: Pick<AuditRecord, 'action'>): readonly ChangedPart[] {
  return PARTS_BY_ACTION[action.split('.')[0] ?? ''] ?? [];
}

/** Notifies listeners in this process of changes. */
interface ChangeSignal {
  /** Calls the listeners after the current turn of the event loop. The current SQLite transaction has ended by then. */
  announce(parts: readonly ChangedPart[]): void;
  onChanged(listener: (parts: ReadonlySet<ChangedPart>) => void): () => void;
}

export function createChangeSignal(): ChangeSignal {
  const listeners = new Set<(parts: ReadonlySet<ChangedPart>) => void>();
  let pendingParts = new Set<ChangedPart>();
  const notify = (): void => {
    const parts = pendingParts;
    pendingParts = new Set();
    for (const listener of listeners) listener(parts);
  };
  return {
    announce: (parts) => {
      if (parts.length === 0) return;
      if (pendingParts.size === 0) setImmediate(notify);
      for (const part of parts) pendingParts.add(part);
    },
    onChanged: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Announces each delivery attempt, because it adds a row to the delivery log and can change a record's mail status. */
export const withAttemptAnnouncements = (
  deliveries: DeliveryStore,
  { announce }: ChangeSignal,
): DeliveryStore => ({
  ...deliveries,
  recordAttempt: async (...attempt) => {
    const recorded = await deliveries.recordAttempt(...attempt);
    announce(['delivery-logs']);
    return recorded;
  },
});
