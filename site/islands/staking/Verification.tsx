import type { FigureBodies } from '../../data/figure-strategies.ts';
import { Age } from '../figure/Age.tsx';
import styles from './staking.module.css';
import { verificationWords } from './verification-words.ts';

/** Whether the chain's accounts and the indexed history agree, and where they do not. */
export function Verification({ body }: { readonly body: FigureBodies['/api/staking/program-summary'] }) {
  const { tone, text, differences } = verificationWords(body.verification);
  return (
    <div className={styles.verification} data-tone={tone}>
      <p>
        <span className={styles.sign} aria-hidden="true" />
        {text}
      </p>
      {differences.length === 0 ? null : (
        <ul>
          {differences.map((difference) => (
            <li key={difference}>{difference}</li>
          ))}
        </ul>
      )}
      <p className={styles.read}>
        Read{' '}
        <Age
          read={{ asOf: Date.parse(body.asOf), source: 'chain', calls: ['/api/staking/program-summary'] }}
        />
      </p>
    </div>
  );
}
