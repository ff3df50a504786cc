// SPDX-License-Identifier: Apache-2.0
/* The table of hosts: its order is that of the words that presets use, and every rule says who says so. */
#include <common/openvdb/hosts/hosts.h>
#include <criterion/criterion.h>
#include <string.h>

Test(hosts, names_are_in_the_order_of_the_choice)
{
    char all[400] = "";
    for (int i = 0; vdb_host_name(i); i++) {
        if (i) strcat(all, "|");
        strcat(all, vdb_host_name(i));
        cr_assert(vdb_host_known(vdb_host_name(i)));
    }
    cr_assert_str_eq(all, VDB_HOSTS);
    cr_assert(!vdb_host_known("maya"));
}

Test(hosts, rules_have_a_source)
{
    for (int i = 0; vdb_host_name(i); i++) {
        int rules = 0;
        for (int kind = VDB_UP; kind <= VDB_RIM; kind++) {
            const struct vdb_rule *r = vdb_rule_of(vdb_host_name(i), (enum vdb_rule_kind)kind);
            rules += r != NULL;
            cr_assert(!r || (r->number > 0 && strlen(r->source) > 10), "%s", vdb_host_name(i));
        }
        cr_assert(rules > 0);
    }
    cr_assert(vdb_rule_number("unreal", VDB_SCALE, 1) == 100 && vdb_rule_number("unreal", VDB_CHANNELS, 0) == 8);
    cr_assert(vdb_rule_number("houdini", VDB_UP, 'z') == 'y' && vdb_rule_number(0, VDB_UP, 'z') == 'z');
}
