import { readBuiltPages } from './built-pages.ts';
import { writeClassifier } from './chat-book.ts';
import { OUTPUT } from './site-stamp.ts';

// The build starts this file in a thread of its own.
await writeClassifier(await readBuiltPages(OUTPUT), OUTPUT);
