/* SPDX-License-Identifier: Apache-2.0 */
/* A formula that can be read can be printed, reads back as itself (in other spellings, as an
 * equivalent formula), and has a normal form. */
#include <omen/plugin/ltl.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool c)
{
    if (!c)
        abort();
}

static void check_spellings(om_ltl *l, om_ltl_ref f, const om_label *labels, bool holds)
{
    om_text t = { .heap = om_heap_default() };
    for (int k = 0; k < OM_LTL_SPELLINGS; k++) {
        om_ltl_ref again = 0;
        bool other;
        t.length = 0;
        int rc = om_ltl_print_as(l, f, (om_ltl_spelling) k, &t);
        require(rc == OM_OK || (rc == OM_ELIMIT && k != OM_LTL_OMEN));
        if (rc != OM_OK)
            continue;
        require(om_ltl_parse(l, "again", t.text, t.length, &again) == OM_OK);
        require(k != OM_LTL_OMEN || again == f);
        require(om_ltl_holds_on_lasso(l, again, labels, 2, 1, &other) == OM_OK && other == holds);
    }
    om_text_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    om_context *ctx = NULL;
    om_ltl *l = NULL;
    om_ltl_ref f = 0;

    require(om_context_new(&ctx, NULL) == OM_OK && om_ltl_new(&l, ctx) == OM_OK);
    if (om_ltl_parse(l, "fuzz", (const char *) data, size, &f) == OM_OK) {
        const om_label labels[2] = { 0x5, 0x3 };
        bool holds, other;
        om_ltl_ref n = om_ltl_nnf(l, f, true, false);
        require(n != 0);
        require(om_ltl_holds_on_lasso(l, f, labels, 2, 1, &holds) == OM_OK);
        require(om_ltl_holds_on_lasso(l, n, labels, 2, 1, &other) == OM_OK);
        require(holds != other);
        check_spellings(l, f, labels, holds);
    } else
        require(om_context_error(ctx)[0] != '\0');
    om_ltl_free(l);
    om_context_free(ctx);
    return 0;
}
