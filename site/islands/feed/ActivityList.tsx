import { useStore } from '@nanostores/react';
import type { FigureBodies } from '../../data/figure-strategies.ts';
import type { Reading } from '../../data/reading.ts';
import { $now } from '../../data/ticking-clock.ts';
import { Evidence } from '../figure/Evidence.tsx';
import type { ExplorerLink } from '../figure/explorer-link.ts';
import { LoadingWords } from '../figure/LoadingWords.tsx';
import { ReadNotice } from '../figure/ReadNotice.tsx';
import { type ActivityRow, activityRow, rowKey, whenText } from './activity-row.ts';
import styles from './feed.module.css';

/** Rows shown; the list keeps the room of so many, so that nothing below it moves. */
const SHOWN = 7;
const SKELETON_ROWS = Array.from({ length: SHOWN }, (_, place) => `row ${place}`);

interface ActivityListProps {
  /** Null where no public explorer shows the chain. */
  readonly link: ExplorerLink | null;
  readonly reading: Reading<FigureBodies['/api/transactions']>;
}

/** The feed's rows, or the words that stand in for them. */
export function ActivityList({ link, reading }: ActivityListProps) {
  if (reading.kind === 'loading') return <SkeletonRows />;
  if (reading.kind === 'known' && reading.body.length > 0) {
    return (
      <ol className={styles.list}>
        {reading.body.slice(0, SHOWN).map((transaction) => (
          <Row key={rowKey(transaction)} row={activityRow(transaction)} link={link} />
        ))}
      </ol>
    );
  }
  return (
    <div className={styles.list}>
      <ReadNotice
        reading={reading}
        what="the vault staking activity"
        failed="The movements could not be read."
        unknown="The history is still being read from the chain; its newest movements are not known yet."
        empty="No movement of the vault or the stake pool yet."
      />
    </div>
  );
}

function Row({ row, link }: Pick<ActivityListProps, 'link'> & { readonly row: ActivityRow }) {
  return (
    <li className={styles.row} data-tone={row.tone}>
      <span className={styles.kind}>{row.word}</span>
      <span className={styles.amount}>
        {row.amount}
        <span className="visually-hidden"> BD</span>
      </span>
      <span className={styles.proof}>
        <Evidence
          id={row.signature}
          href={link?.('tx', row.signature) ?? null}
          name={`${row.word} transaction`}
        />
        <span className={styles.status}>{row.status}</span>
      </span>
      <When happenedAt={row.happenedAt} />
    </li>
  );
}

function When({ happenedAt }: { readonly happenedAt: number | null }) {
  const now = useStore($now);
  const text = whenText(happenedAt, now);
  return happenedAt === null ? (
    <span className={styles.when}>{text}</span>
  ) : (
    <time className={styles.when} dateTime={new Date(happenedAt).toISOString()}>
      {text}
    </time>
  );
}

function SkeletonRows() {
  return (
    <div className={styles.list} aria-busy="true">
      <LoadingWords />
      {SKELETON_ROWS.map((row) => (
        <div className={`${styles.row} script-only`} key={row} aria-hidden="true">
          <span className={styles.bone} />
          <span className={styles.bone} />
          <span className={styles.bone} />
          <span className={styles.bone} />
        </div>
      ))}
    </div>
  );
}
