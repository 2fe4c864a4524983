import type { ReactNode } from 'react';
import '../../styles/ledger.css';

interface FigureLedgerProps {
  readonly columns: 2 | 3 | 4;
  /** Whether the ledger draws its own gold line, or stands right under another. */
  readonly lined?: boolean;
  /** Whether the cells leave one place empty, in rows of two as in rows of more. */
  readonly oneShort?: boolean;
  readonly children: ReactNode;
}

/** Figures between hairlines, in the cells that the pages' own ledgers have. */
export function FigureLedger({ columns, lined = true, oneShort = false, children }: FigureLedgerProps) {
  return (
    <div className={`ledger of-${columns}${lined ? ' lined' : ''}`}>
      <div className="cells">
        {children}
        {oneShort ? <span className="empty" /> : null}
      </div>
    </div>
  );
}
