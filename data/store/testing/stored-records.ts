import type { FullRecord } from '../record-port.ts';
import { store } from './test-stores.ts';

export async function readStoredRecord<Kind extends FullRecord['kind']>(kind: Kind, referenceNumber: string) {
  const record = await store.records.record(referenceNumber);
  if (record?.kind !== kind) throw new Error(`There is no such ${kind}.`);
  return record as Extract<FullRecord, { readonly kind: Kind }>;
}

/** A record's deliveries, except those that report its arrival to the applicant or the team. */
export const decisionDeliveries = ({ deliveries }: FullRecord) =>
  deliveries.filter(({ event }) => !event.endsWith('.received'));
