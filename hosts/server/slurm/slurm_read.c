/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the output of Slurm's commands. */
#include "slurm_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* squeue(1), "JOB STATE CODES"; sacct may add words ("CANCELLED by 1000"). */
static slurm_state state_of(const char *word)
{
    static const struct {
        const char *word;
        slurm_state state;
    } table[] = { { "PENDING", SLURM_PENDING }, { "CONFIGURING", SLURM_PENDING },
        { "REQUEUED", SLURM_PENDING }, { "REQUEUE_FED", SLURM_PENDING },
        { "REQUEUE_HOLD", SLURM_PENDING }, { "RESV_DEL_HOLD", SLURM_PENDING },
        { "SPECIAL_EXIT", SLURM_PENDING }, { "RUNNING", SLURM_RUNNING },
        { "COMPLETING", SLURM_RUNNING }, { "SUSPENDED", SLURM_RUNNING },
        { "STOPPED", SLURM_RUNNING }, { "SIGNALING", SLURM_RUNNING },
        { "STAGE_OUT", SLURM_RUNNING }, { "RESIZING", SLURM_RUNNING },
        { "COMPLETED", SLURM_COMPLETED }, { "FAILED", SLURM_COMPLETED },
        { "NODE_FAIL", SLURM_LOST }, { "PREEMPTED", SLURM_LOST }, { "BOOT_FAIL", SLURM_LOST },
        { "REVOKED", SLURM_LOST }, { "OUT_OF_MEMORY", SLURM_NO_MEMORY },
        { "TIMEOUT", SLURM_NO_TIME }, { "DEADLINE", SLURM_NO_TIME },
        { "CANCELLED", SLURM_CANCELLED } };
    const size_t length = strcspn(word, " +");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].word) == length && strncmp(table[i].word, word, length) == 0)
            return table[i].state;
    return SLURM_NOTHING;
}

uint32_t slurm_read_number(const char *text)
{
    char *end;
    if (*text < '1' || *text > '9')
        return 0;
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    bool whole = *end == '\0' || *end == '\n' || *end == ';';
    return errno == 0 && whole && n <= UINT32_MAX ? (uint32_t) n : 0;
}

char *slurm_next_line(char **text)
{
    char *line = *text;
    if (*line == '\0')
        return NULL;
    char *end = strchr(line, '\n');
    *text = end == NULL ? line + strlen(line) : end + 1;
    if (end != NULL)
        *end = '\0';
    return line;
}

static char *cut(char **rest)
{
    char *field = *rest, *end = field == NULL ? NULL : strchr(field, '|');
    *rest = end == NULL ? NULL : end + 1;
    if (end != NULL)
        *end = '\0';
    return field;
}

bool slurm_read_row(char *line, slurm_row *out)
{
    char *rest = line;
    const char *name = cut(&rest), *number = cut(&rest), *word = cut(&rest);
    if (name == NULL || number == NULL || word == NULL || *name == '\0')
        return false;
    *out = (slurm_row){ .name = name,
        .word = word,
        .reason = rest == NULL ? "" : rest, /* the last field: it may contain a bar */
        .number = slurm_read_number(number),
        .state = state_of(word) };
    /* A state is a word in capitals; otherwise the line is no row. */
    return out->number != 0 && *word >= 'A' && *word <= 'Z';
}
