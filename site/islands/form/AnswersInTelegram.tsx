import { useEffect, useState } from 'react';
import * as PATHS from '../../../data/contract/paths.ts';
import { bodyField, request } from '../../data/request.ts';

/** The addresses of the forms that this page sent, by reference number. */
export const acceptedEmails = new Map<string, string>();

interface AnswersInTelegramProps {
  readonly referenceNumber: string;
  readonly email: string;
}

/** Links to a chat that is told about answers. Shows nothing if the portal has no bot, or the link cannot be read. */
export function AnswersInTelegram({ referenceNumber, email }: AnswersInTelegramProps) {
  const [chatUrl, setChatUrl] = useState<string | null>(null);
  useEffect(() => {
    const left = new AbortController();
    const read = async () => {
      const options = { payload: { referenceNumber, email }, signal: left.signal };
      const body = await (await request('POST', PATHS.answersInTelegram, options)).text();
      const url = bodyField(body, 'chatUrl');
      if (typeof url === 'string') setChatUrl(url);
    };
    read().catch(() => {});
    return () => left.abort();
  }, [referenceNumber, email]);
  return chatUrl === null ? null : (
    <a className="button" href={chatUrl} target="_blank" rel="noreferrer" data-answers-in-telegram>
      Tell me in Telegram when you answer
    </a>
  );
}
