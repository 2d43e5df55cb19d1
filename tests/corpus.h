/* SPDX-License-Identifier: Apache-2.0 */
/* corpus.h: locates the published models, formulas and automata. */
#ifndef OMEN_TESTS_CORPUS_H
#define OMEN_TESTS_CORPUS_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns $OMEN_CORPUS, or NULL with a message on stderr if that folder is missing; main() then
 * returns 77. */
static inline const char *corpus_folder(void)
{
    const char *corpus = getenv("OMEN_CORPUS");
    if (corpus != NULL && access(corpus, R_OK | X_OK) == 0)
        return corpus;
    (void) fprintf(stderr, "skipped: the corpus ($OMEN_CORPUS) is not there\n");
    return NULL;
}

#endif
