import { useEffect, useRef } from 'react';
import own from './application-status.module.css';
import type { ApplicationStatusBody } from './status-query.ts';
import { KIND_WORDS, momentWords, STATUS_WORDS } from './status-words.ts';

/** What happened to a submission, oldest first. The last entry is where it stands. */
export function Timeline({ body }: { readonly body: ApplicationStatusBody }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className={own.status} aria-labelledby="status-title">
      <h2 id="status-title" ref={heading} tabIndex={-1}>
        {KIND_WORDS[body.kind]}: {STATUS_WORDS[body.status].title}
      </h2>
      <p className={own.number}>{body.referenceNumber}</p>
      <ol className={own.timeline}>
        {body.timeline.map(({ at, status, note }) => (
          <li key={`${at} ${status}`}>
            <p className={own.step}>
              <strong>{STATUS_WORDS[status].title}</strong> <time dateTime={at}>{momentWords(at)}</time>
            </p>
            <p>{note ?? STATUS_WORDS[status].text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
