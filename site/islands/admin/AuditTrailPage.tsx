import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { REFERENCE_NUMBER_PATTERN } from '../../../data/model/reference-number.ts';
import { Dash } from '../ui/ReadStates.tsx';
import { AdminPage, ReadError } from './AdminPage.tsx';
import styles from './admin.module.css';
import { type AuditPage, auditTrailQuery } from './admin-calls.ts';

export default function AuditTrailPage() {
  return (
    <AdminPage>
      <AuditTrail />
    </AdminPage>
  );
}

const localTimeText = (moment: string) =>
  new Date(moment).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** The label of a field: `'referenceNumber'` → `'reference number'`. */
const labelOf = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function Details({ details }: { readonly details: AuditPage['records'][number]['details'] }) {
  const entries = Object.entries(details);
  if (entries.length === 0) return <Dash why="None" />;
  return (
    <span className={styles.details}>
      {entries.map(([name, value]) => (
        <span key={name}>
          <span>{labelOf(name)}: </span>
          {value === null ? <Dash why="None" /> : String(value)}
        </span>
      ))}
    </span>
  );
}

const NO_FILTER = { actor: '', action: '', reference: '', from: '', to: '' };
type Filter = typeof NO_FILTER;

/** The start of the day that is `daysLater` days after `day`, in the browser's time zone. */
function startOfDay(day: string, daysLater = 0): string {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + daysLater);
  return start.toISOString();
}

const DAY_PATTERN = /^\d{4}-\d\d-\d\d$/;

/**
 * The query parameters for a filter. They leave out an incomplete reference number, and a date whose year has more than four
 * digits.
 */
function parametersOf({ actor, action, reference, from, to }: Filter): Record<string, string> {
  const typedReference = reference.trim().toUpperCase();
  return {
    ...(actor === '' ? {} : { actor }),
    ...(action === '' ? {} : { action }),
    ...(REFERENCE_NUMBER_PATTERN.test(typedReference) ? { reference: typedReference } : {}),
    ...(DAY_PATTERN.test(from) ? { from: startOfDay(from) } : {}),
    ...(DAY_PATTERN.test(to) ? { to: startOfDay(to, 1) } : {}),
  };
}

interface FiltersProps {
  readonly filter: Filter;
  readonly page: AuditPage | undefined;
  readonly onFilter: (filter: Filter) => void;
}

/** The filters are not in the URL, because it would reveal whom the admin searched for. */
function Filters({ filter, page, onFilter }: FiltersProps) {
  const fieldProps = (name: keyof Filter) => ({
    name,
    value: filter[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onFilter({ ...filter, [name]: target.value }),
  });
  return (
    <fieldset className={styles.filters} aria-label="Filters">
      <label>
        Who
        <select {...fieldProps('actor')}>
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
        <select {...fieldProps('action')}>
          <option value="">Everything</option>
          {page?.actions.map((action) => (
            <option key={action}>{action}</option>
          ))}
        </select>
      </label>
      <label>
        Reference number
        <input
          {...fieldProps('reference')}
          type="text"
          placeholder="BD-20260102-123456"
          maxLength={18}
          size={18}
        />
      </label>
      <label>
        From
        <input {...fieldProps('from')} type="date" max="9999-12-31" />
      </label>
      <label>
        To
        <input {...fieldProps('to')} type="date" max="9999-12-31" />
      </label>
      <button type="button" className="button" onClick={() => onFilter(NO_FILTER)}>
        Clear
      </button>
    </fieldset>
  );
}

function AuditTrail() {
  const [filter, setFilter] = useState(NO_FILTER);
  const reading = useInfiniteQuery(auditTrailQuery(parametersOf(filter)));
  const records = reading.data?.pages.flatMap((page) => page.records);
  return (
    <section aria-label="Audit trail" className={styles.section}>
      <Filters filter={filter} page={reading.data?.pages[0]} onFilter={setFilter} />
      {records === undefined ? (
        reading.error === null && <p>Loading...</p>
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
                  <time dateTime={at}>{localTimeText(at)}</time>
                </td>
                <td data-name="Who">{actor}</td>
                <td data-name="What">{action}</td>
                <td data-name="IP address">{address ?? <Dash why="None" />}</td>
                <td data-name="Details">
                  <Details details={details} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <ReadError
        reading={reading.isFetchNextPageError ? { ...reading, refetch: reading.fetchNextPage } : reading}
        what="the audit trail"
      />
      {reading.hasNextPage ? (
        <p>
          <button
            type="button"
            className="button"
            disabled={reading.isFetchingNextPage}
            onClick={() => void reading.fetchNextPage()}
          >
            {reading.isFetchingNextPage ? 'Loading...' : 'Load older'}
          </button>
        </p>
      ) : null}
    </section>
  );
}
