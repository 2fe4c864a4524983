import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { REFERENCE_NUMBER } from '../../../data/model/reference-number.ts';
import { AdminPage, ReadError } from './AdminPage.tsx';
import styles from './admin.module.css';
import { type AuditPage, auditTrailQuery } from './admin-calls.ts';

/** Who did what, when and from where. */
export default function TeamJournal() {
  return (
    <AdminPage>
      <AuditTrail />
    </AdminPage>
  );
}

const localTime = (moment: string) =>
  new Date(moment).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** The label of a field: `'referenceNumber'` → `'reference number'`. */
const labelOf = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function Details({ details }: { readonly details: AuditPage['records'][number]['details'] }) {
  const entries = Object.entries(details);
  if (entries.length === 0) return '-';
  return (
    <span className={styles.details}>
      {entries.map(([name, value]) => (
        <span key={name}>
          <span>{labelOf(name)}: </span>
          {value === null ? '-' : String(value)}
        </span>
      ))}
    </span>
  );
}

const NO_FILTER = { actor: '', action: '', reference: '', from: '', to: '' };
type Filter = typeof NO_FILTER;

/** The start of the day that is `later` days after `day`, in the browser's time zone. */
function startOf(day: string, later = 0): string {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + later);
  return start.toISOString();
}

/** The parameters of a filter. An incomplete reference number is ignored. */
function parametersOf({ actor, action, reference, from, to }: Filter): Record<string, string> {
  const typed = reference.trim().toUpperCase();
  return {
    ...(actor === '' ? {} : { actor }),
    ...(action === '' ? {} : { action }),
    ...(REFERENCE_NUMBER.test(typed) ? { reference: typed } : {}),
    ...(from === '' ? {} : { from: startOf(from) }),
    ...(to === '' ? {} : { to: startOf(to, 1) }),
  };
}

interface FiltersProps {
  readonly filter: Filter;
  readonly page: AuditPage | undefined;
  readonly onFilter: (filter: Filter) => void;
}

/** The filters are not part of the URL, which would reveal who was searched for. */
function Filters({ filter, page, onFilter }: FiltersProps) {
  const field = (name: keyof Filter) => ({
    name,
    value: filter[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onFilter({ ...filter, [name]: target.value }),
  });
  return (
    <fieldset className={styles.filters} aria-label="Filters">
      <label>
        Who
        <select {...field('actor')}>
          <option value="">Everyone</option>
          {page?.actors.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        What
        <select {...field('action')}>
          <option value="">Everything</option>
          {page?.actions.map((action) => (
            <option key={action}>{action}</option>
          ))}
        </select>
      </label>
      <label>
        Reference number
        <input
          {...field('reference')}
          type="text"
          placeholder="BD-20260102-123456"
          maxLength={18}
          size={18}
        />
      </label>
      <label>
        From
        <input {...field('from')} type="date" />
      </label>
      <label>
        To
        <input {...field('to')} type="date" />
      </label>
      <button type="button" className="button" onClick={() => onFilter(NO_FILTER)}>
        Clear
      </button>
    </fieldset>
  );
}

function AuditTrail() {
  const [filter, setFilter] = useState(NO_FILTER);
  const trail = useInfiniteQuery(auditTrailQuery(parametersOf(filter)));
  const records = trail.data?.pages.flatMap((page) => page.records);
  return (
    <section aria-label="Audit trail" className={styles.section}>
      <Filters filter={filter} page={trail.data?.pages[0]} onFilter={setFilter} />
      {records === undefined ? (
        trail.error === null && <p>Loading...</p>
      ) : records.length === 0 ? (
        <p>No entry matches these filters.</p>
      ) : (
        <table className={`table stacked ${styles.trail}`}>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Who</th>
              <th scope="col">What</th>
              <th scope="col">IP address</th>
              <th scope="col">Details</th>
            </tr>
          </thead>
          <tbody>
            {records.map(({ id, at, actor, action, address, details }) => (
              <tr key={id}>
                <td data-name="When">
                  <time dateTime={at}>{localTime(at)}</time>
                </td>
                <td data-name="Who">{actor}</td>
                <td data-name="What">{action}</td>
                <td data-name="IP address">{address ?? '-'}</td>
                <td data-name="Details">
                  <Details details={details} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <ReadError
        reading={trail.isFetchNextPageError ? { ...trail, refetch: trail.fetchNextPage } : trail}
        what="the audit trail"
      />
      {trail.hasNextPage ? (
        <p>
          <button
            type="button"
            className="button"
            disabled={trail.isFetchingNextPage}
            onClick={() => void trail.fetchNextPage()}
          >
            {trail.isFetchingNextPage ? 'Loading...' : 'Load older'}
          </button>
        </p>
      ) : null}
    </section>
  );
}
