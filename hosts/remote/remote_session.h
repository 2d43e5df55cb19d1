/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_session.h: a check on a server, from its submission to its end.
 *
 *  R1  Each result is printed once, in order, whichever attempt sends it.
 *  R2  A result answers at most one property: answered <= put.
 *  R3  A job that is followed has a number, and one that has ended has begun.
 *  R4  Only a submitted job is cancelled, and only once.
 */
#ifndef OMEN_REMOTE_SESSION_H
#define OMEN_REMOTE_SESSION_H

#include "remote.h"

/* Maximum number of attempts without an answer; pauses separate them */
enum { REMOTE_TRIES = 8 };

typedef struct remote_session {
    cli *c;
    check_settings *set;
    remote_address address;
    remote_http *http;
    remote_names names;
    remote_events events;
    check_output output;
    char label[256];
    char key[33]; /* Idempotency-Key of the submission */
    bool keyed;   /* the server supports such keys */
    char last_id[REMOTE_ID];
    int64_t id;
    int attempt;       /* the attempt whose events are read */
    size_t seen;       /* results of this attempt */
    size_t put;        /* printed results */
    size_t answered;   /* properties that they answer */
    int status;        /* exit status of the printed results */
    bool interruption; /* the last of them reported an interruption */
    bool begun, over;  /* the job has started; it has ended */
    bool cancelled;    /* by this client */
    bool broken;       /* results can no longer be written */
    int failed;        /* om_status that ended the reading of events */
    om_model *model;   /* for files of lassos, if it could be read locally; or NULL */
    const char *language;
    size_t length; /* of the model's text, output.source */
} remote_session;

/* ---- submit.c ---- */

/* Determines the front end, for remote_session.language: `frontend`, or if that is NULL, the one
 * for the file's name or text. OM_EUSAGE if none reads the model. */
int remote_language(
    cli *c, const char *frontend, const char *text, size_t length, const char **out);
/* Rejects a text that includes files, because they are not sent. */
int remote_vet_text(cli *c, const char *language, const char *text);
/* Submits the job and stores its number in the session. */
int remote_submit(remote_session *s);
/* Reads the number of a job. Returns false, with *out 0, if the object has none. */
bool remote_id_of(const json_t *object, int64_t *out);
/* Reports the failure of a request. Returns an om_status other than OM_OK. */
int remote_refused(const remote_session *s, remote_outcome outcome, const remote_answer *a);
/* Returns true if the request may be repeated. */
bool remote_worth_again(remote_outcome outcome, long status);
unsigned remote_pause_of(unsigned tries);
/* Sends a request that may be repeated. OM_OK with an answer of status 200. */
int remote_ask(remote_session *s, const char *method, const char *path, remote_answer *a);

#endif
