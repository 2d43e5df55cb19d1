/* SPDX-License-Identifier: Apache-2.0 */
/* remote_session.h: a check that a server does, from its submission to its end. */
#ifndef OMEN_CLI_REMOTE_SESSION_H
#define OMEN_CLI_REMOTE_SESSION_H

#include "remote.h"

/* How often something is tried without any answer, with pauses. */
enum { REMOTE_TRIES = 8 };

typedef struct remote_session {
    cli *c;
    remote_address address;
    remote_http *http;
    remote_names names;
    remote_events events;
    check_output output;
    char label[256];
    char key[33]; /* of the submission */
    bool keyed;   /* the server knows such keys */
    char last_id[REMOTE_ID];
    int64_t id;
    int attempt;       /* whose events are read */
    size_t seen;       /* results of this attempt */
    size_t put;        /* results that were printed; */
    size_t answered;   /* properties that they answer */
    int status;        /* of those */
    bool interruption; /* was told by the last of them */
    bool begun, over;  /* it runs; it has ended */
    bool cancelled;    /* by us */
    bool broken;       /* nothing more can be written */
    int failed;        /* what ended the reading of events, an om_status */
    om_model *model;   /* for files of lassos, where it could be read here; or NULL */
    const char *language;
    size_t length; /* of the model's text, output.source */
} remote_session;

/* ---- remote_submit.c ---- */

/* The front end, for remote_session.language. OM_EUSAGE where none reads the model. */
int remote_language(cli *c, const char *text, size_t length, const char **out);
/* A text that includes files is refused: they do not go along. */
int remote_vet_text(cli *c, const char *language, const char *text);
/* Sends the job; its number is in the session then. */
int remote_submit(remote_session *s);
/* The number of a job, 0 where the object has none: false, then. */
bool remote_id_of(const json_t *object, int64_t *out);
/* What came of a request, as a message. An om_status that is not OM_OK. */
int remote_refused(const remote_session *s, remote_outcome outcome, const remote_answer *a);
/* May the same be asked once more? */
bool remote_worth_again(remote_outcome outcome, long status);
unsigned remote_pause_of(unsigned tries);
/* Asks what may be asked again. OM_OK with an answer of status 200. */
int remote_ask(remote_session *s, const char *method, const char *path, remote_answer *a);

#endif
